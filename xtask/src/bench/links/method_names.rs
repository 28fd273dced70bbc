//! Names of methods as three programs write them, brought to one form: `java/lang/Object.wait:(JI)V`.

use std::fmt::Write as _;

/// From HotSpot's log, where the form is the same but for what XML escapes. Classes that the JVM made at run time are
/// left out: no analysis of class files can know them.
pub(super) fn from_jvm(line: &str) -> Option<String> {
    let name = line.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let (method, descriptor) = name.split_once(':')?;
    let (class, _) = method.rsplit_once('.')?;
    let is_hidden = class.contains("+0x") || class.contains("/0x");
    (descriptor.starts_with('(') && !is_hidden).then_some(name)
}

/// From Tai-e's `<java.lang.Object: void wait(long,int)>`.
pub(super) fn from_tai_e(line: &str) -> Option<String> {
    let inner = line.trim().strip_prefix('<')?.strip_suffix('>')?;
    let (class, signature) = inner.split_once(": ")?;
    let (result, rest) = signature.split_once(' ')?;
    let (name, parameters) = rest.strip_suffix(')')?.split_once('(')?;
    let mut method = format!("{}.{name}:(", class.replace('.', "/"));
    for parameter in parameters.split(',').filter(|parameter| !parameter.is_empty()) {
        write_descriptor(&mut method, parameter);
    }
    method.push(')');
    write_descriptor(&mut method, result);
    Some(method)
}

fn write_descriptor(out: &mut String, type_name: &str) {
    let element = type_name.trim_end_matches("[]");
    out.extend(std::iter::repeat_n('[', (type_name.len() - element.len()) / 2));
    let primitive = match element {
        "void" => 'V',
        "boolean" => 'Z',
        "byte" => 'B',
        "char" => 'C',
        "short" => 'S',
        "int" => 'I',
        "long" => 'J',
        "float" => 'F',
        "double" => 'D',
        class => {
            let _ = write!(out, "L{};", class.replace('.', "/"));
            return;
        }
    };
    out.push(primitive);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_method_has_the_same_name_from_everywhere() {
        let name = Some("java/util/Map$Entry.<init>:([[IJLjava/lang/String;)V".to_owned());
        assert_eq!(from_tai_e("<java.util.Map$Entry: void <init>(int[][],long,java.lang.String)>"), name);
        assert_eq!(from_jvm("java/util/Map$Entry.&lt;init&gt;:([[IJLjava/lang/String;)V"), name);
        assert_eq!(from_tai_e("<A: byte[] b()>"), Some("A.b:()[B".to_owned()));
    }

    #[test]
    fn what_is_no_method_of_a_class_file_is_left_out() {
        assert_eq!(from_jvm("<writer thread='1269'/>"), None);
        assert_eq!(from_jvm("java/lang/invoke/LambdaForm$MH+0x00007fb3e4029c00.&lt;clinit&gt;:()V"), None);
        assert_eq!(from_jvm("# Method::print_touched_methods version 1"), None);
        assert_eq!(from_tai_e("Exception in thread \"main\""), None);
    }
}
