import { z } from "zod";

/** The time format of messages. */
export const Timestamp = z
  .string()
  .regex(
    /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?Z$/,
    {
      error: "a time in UTC like 2026-02-13T10:10:53.467Z",
    },
  )
  .meta({
    title: "Timestamp",
    description: "ISO 8601 in UTC; writers give milliseconds, readers take any fraction or none.",
    examples: ["2026-02-13T10:10:53.467Z"],
  });
export type Timestamp = z.infer<typeof Timestamp>;

/** The time format of documents. */
export const Milliseconds = z
  .int()
  .nonnegative()
  .meta({ title: "Milliseconds", description: "Unix time in milliseconds, an integer.", examples: [1770535107409] });
export type Milliseconds = z.infer<typeof Milliseconds>;
