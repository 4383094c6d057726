/** An answer with an error status: what the API says when it does not run the model. */
export interface Refusal {
  readonly kind: "refusal";
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export const refuse = (status: number, type: string, message: string): Refusal => ({
  kind: "refusal",
  status,
  type,
  message,
});

export const invalid = (message: string): Refusal => refuse(400, "invalid_request_error", message);

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "refusal";

/** The body in which the API tells an error, in an answer and in a stream alike. */
export const errorBody = (
  { type, message, details }: Pick<Refusal, "type" | "message" | "details">,
  requestId: string,
) => ({
  type: "error",
  error: { type, message, ...(details !== undefined && { details }) },
  request_id: requestId,
});

/** The status that belongs to a type of error, for errors that are told inside a stream. */
export const statusOf: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};
