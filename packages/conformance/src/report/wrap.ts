const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

const charWidth = (char: string): number => (/\p{M}/u.test(char) ? 0 : wide.test(char) ? 2 : 1);

const widthOf = (text: string): number => [...text].reduce((sum, char) => sum + charWidth(char), 0);

/** Wraps a text to a width; a longer word is cut at the line end. */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(8, width);
  const lines: string[] = [];
  let line = "";
  let used = 0;
  const end = () => {
    lines.push(line.trimEnd());
    line = "";
    used = 0;
  };
  for (const word of text.match(/ +|[^ ]+/g) ?? []) {
    const length = widthOf(word);
    if (used + length > room && used > 0) end();
    if (used === 0 && lines.length > 0 && word.startsWith(" ")) continue;
    for (const char of length > room ? word : [word]) {
      const size = length > room ? charWidth(char) : length;
      if (used + size > room) end();
      line += char;
      used += size;
    }
  }
  end();
  return lines;
}
