/** What a target may call its team, itself, or the reason of an error; each with what it is. */
export const hostile: readonly (readonly [string, string])[] = [
  ["the end of a style sheet and a script", "</style></title><script>alert(1)</script>"],
  ["the end of an attribute in double quotes", `"><img src=x onerror=alert(1)>`],
  ["the end of one in single quotes", `' onmouseover='alert(1)' x='`],
  ["the end of a CDATA section", "]]><failure/><![CDATA["],
  ["a comment and entities", "<!-- &amp; &#x3c; &undefined; %s"],
  ["what steers a terminal", "\u001b[31mred\u001b[0m \u009b2J \u0007 \b\b\b"],
  ["what hides or reorders text", "\u202ereversed\u2066 \u200bhidden\ufeff \u2028line"],
  ["characters that XML forbids", "\u0000\u0001\ufffe\uffff \ud800 \udc00"],
  ["the end of a YAML block", "two\n...\n---\nok 1 - lines # TODO\r\nBail out!\n1..0"],
  ["a TAP directive", "# SKIP \\# TODO"],
  ["a script as an address", "javascript:alert(1)"],
  ["a key of every object", "__proto__"],
  ["nothing", ""],
  ["much", "x".repeat(3_000)],
];
