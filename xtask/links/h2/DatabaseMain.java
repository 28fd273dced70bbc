package subjects;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.h2.Driver;

/** H2 with a database in a file. The one argument is a folder to work in. */
public class DatabaseMain {
    public static void main(String[] arguments) throws SQLException {
        String url = "jdbc:h2:file:" + arguments[0] + "/shop";
        try (Connection connection = new Driver().connect(url, new Properties())) {
            fill(connection);
            query(connection);
            try (Statement statement = connection.createStatement()) {
                statement.executeQuery("SELECT nothing FROM nowhere");
            } catch (SQLException absent) {
                System.out.println(absent.getErrorCode());
            }
        }
    }

    private static void fill(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE item(id INT PRIMARY KEY, name VARCHAR(40), price DECIMAL(8, 2))");
            statement.execute("CREATE INDEX item_name ON item(name)");
        }
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO item VALUES (?, ?, ?)")) {
            for (int id = 0; id < 100; id++) {
                insert.setInt(1, id);
                insert.setString(2, "item " + id % 7);
                insert.setDouble(3, id * 1.5);
                insert.executeUpdate();
            }
        }
        connection.commit();
    }

    private static void query(Connection connection) throws SQLException {
        String sql = "SELECT name, COUNT(*), SUM(price) FROM item WHERE price > ? GROUP BY name ORDER BY name";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setInt(1, 20);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    System.out.println(rows.getString(1) + " " + rows.getInt(2) + " " + rows.getBigDecimal(3));
                }
            }
        }
    }
}
