<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="html" indent="yes"/>
  <xsl:key name="by-year" match="book" use="@year"/>
  <xsl:variable name="total" select="sum(//price)"/>
  <xsl:template match="/">
    <html><body>
      <xsl:apply-templates select="books/book"><xsl:sort select="@year" data-type="number"/></xsl:apply-templates>
      <p><xsl:value-of select="format-number($total, '0.00')"/></p>
      <p><xsl:value-of select="key('by-year', '2001')/title"/></p>
    </body></html>
  </xsl:template>
  <xsl:template match="book">
    <xsl:choose>
      <xsl:when test="price &gt; 10"><b><xsl:value-of select="concat(title, ', ', position())"/></b></xsl:when>
      <xsl:otherwise><i><xsl:value-of select="translate(title, 'abc', 'ABC')"/></i></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
