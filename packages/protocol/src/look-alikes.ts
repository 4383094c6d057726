/** Letters of other scripts that are read as Latin ones. */
const letters: Readonly<Record<string, string>> = {
  a: "аαɑ",
  b: "ьв",
  c: "сϲ",
  d: "ԁ",
  e: "еεєҽ",
  g: "ɡ",
  h: "һнհ",
  i: "іıιɩ",
  j: "јϳ",
  k: "кκ",
  l: "ӏǀ",
  m: "м",
  n: "пηոռ",
  o: "оοօσ",
  p: "рρ",
  q: "ԛզ",
  r: "гʀ",
  s: "ѕꜱ",
  t: "тτ",
  u: "υսцʋ",
  v: "ѵν",
  w: "ԝωա",
  x: "хχ",
  y: "уүγу",
  z: "ᴢ",
};

const latin = new Map(Object.entries(letters).flatMap(([letter, likes]) => [...likes].map((like) => [like, letter])));

/** A text as it is read: in small Latin letters, without the marks on them and what is not seen. */
export const asRead = (text: string): string =>
  [
    ...text
      .normalize("NFKD")
      .replace(/[\p{Cf}\p{M}]/gu, "")
      .toLowerCase(),
  ]
    .map((sign) => latin.get(sign) ?? sign)
    .join("");
