import { deflateSync } from "node:zlib";

/** A PDF of these objects, the first of which is its catalog. */
function pdfOf(objects: readonly (string | Buffer)[], trailer = ""): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [at, object] of objects.entries()) {
    offsets.push(length);
    const part = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]);
    parts.push(part);
    length += part.length;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer}>>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(end)]);
}

function stream(content: string | Buffer, dictionary = "", isPacked = false): Buffer {
  const bytes = isPacked ? deflateSync(content) : Buffer.from(content);
  const filter = isPacked ? "/Filter /FlateDecode " : "";
  return Buffer.concat([
    Buffer.from(`<< ${dictionary} ${filter}/Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from("\nendstream"),
  ]);
}

const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
const kids = (count: number) => Array.from({ length: count }, (_, at) => `${4 + 2 * at} 0 R`).join(" ");

/** Long enough for many lines. */
const box = "0 -100000 600 800";

/** Pages with these texts. */
export const pagesOf = (texts: readonly string[], trailer = ""): Buffer =>
  pdfOf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      `<< /Type /Pages /Kids [${kids(texts.length)}] /Count ${texts.length} /MediaBox [${box}] >>`,
      font,
      ...texts.flatMap((text, at) => [
        `<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * at} 0 R >>`,
        stream(
          `BT /F1 12 Tf 50 700 Td ${text
            .split("\n")
            .map((line) => `(${line}) Tj 0 -20 Td`)
            .join(" ")} ET`,
        ),
      ]),
    ],
    trailer,
  );

/** A page whose drawing draws another ten times, which draws another ten times, and so on. */
export function endlessPdf(depth = 12): Buffer {
  const form = (at: number) =>
    stream(
      "/N Do ".repeat(10),
      `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> /XObject << /N ${at + 1} 0 R >> >>`,
    );
  const last = stream(
    "BT /F1 12 Tf 50 700 Td (words) Tj ET",
    "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >>",
  );
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 /MediaBox [0 0 600 800] >>",
    font,
    "<< /Type /Page /Parent 2 0 R /Resources << /XObject << /N 6 0 R >> >> /Contents 5 0 R >>",
    stream("/N Do"),
    ...Array.from({ length: depth }, (_, at) => form(6 + at)),
    last,
  ]);
}

/** A page of which few bytes become this many. */
export const packedPdf = (megabytes: number): Buffer =>
  pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 /MediaBox [0 -100000000 600 800] >>",
    font,
    "<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
    stream(
      Buffer.concat([
        Buffer.from("BT /F1 12 Tf 50 700 Td "),
        Buffer.alloc(megabytes * 1_000_000, "(words) Tj 0 -1 Td "),
      ]),
      "",
      true,
    ),
  ]);
