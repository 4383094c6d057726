import { isTroupeError, messageOf, TroupeError } from "@troupe/protocol";

const codeOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
};

/** Codes of the system under which a server cannot be reached, or no more. */
const unreachable = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
  "ENOTFOUND",
  "ETIMEDOUT",
  "EHOSTUNREACH",
]);

/** The server shuts down, is starting, ended the session, or has no connection left. */
const unavailable = /^(08...|57P0[1-4]|25P03|53300)$/;

/** What the driver throws without a code. */
const driverWords =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying|Query read timeout/;

/** Whether the connection is of no use any more. */
export const isLostConnection = (error: unknown): boolean =>
  !isTroupeError(error) &&
  (unreachable.has(codeOf(error)) || unavailable.test(codeOf(error)) || driverWords.test(messageOf(error)));

/** Whether the server chose this transaction to give way to another. */
export const isRetried = (error: unknown): boolean => !isTroupeError(error) && /^40(001|P01)$/.test(codeOf(error));

/** What mends a connection that is not allowed so, or not trusted, in the order of looking. */
const connectionFixes: readonly (readonly [sign: RegExp, fix: string])[] = [
  [
    /no pg_hba.conf entry/,
    "where its pg_hba.conf wants TLS, add sslmode=verify-full&sslrootcert=FILE to the address; else add a line there",
  ],
  [
    /unsupported startup parameter/,
    "a pooler is to have ignore_startup_parameters = lock_timeout, idle_in_transaction_session_timeout",
  ],
  [/does not support SSL/, "it has no TLS: set ssl = on there, or take sslmode out of its address"],
  [/^E[A-Z]+: .*, open/, "let sslrootcert, sslcert and sslkey of its address name files that can be read"],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/,
    "let its address have a host that its certificate names in subjectAltName, or make it one that names this host",
  ],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)/, "renew its certificate, and look at the clock of this machine"],
  [
    /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_OSSL_)/,
    "no authority that is trusted here signed its certificate: add sslrootcert=FILE, with that of yours, to its address",
  ],
];

const connectionFixOf = (error: unknown): string | undefined =>
  connectionFixes.find(([sign]) => sign.test(codeOf(error)) || sign.test(messageOf(error)))?.[1];

/** The error of the port for what the driver threw. */
export function failureOf(error: unknown, isCommitting: boolean): unknown {
  if (isTroupeError(error)) return error;
  const said = messageOf(error) || codeOf(error);
  const fix = connectionFixOf(error);
  if (fix !== undefined) {
    const message = `no connection to the database can be made so (${said}): ${fix}`;
    return new TroupeError("store_refused", message, {}, error);
  }
  if (isLostConnection(error)) {
    const outcome = isCommitting ? "it may have been done all the same: repeat it with its stamp or key" : "try again";
    const message = `the database cannot be reached (${said}): ${outcome}`;
    return new TroupeError("store_unavailable", message, { isAmbiguous: isCommitting }, error);
  }
  if (codeOf(error) === "25006") {
    const message = `the database follows another and cannot be written (${said}): give the address of that one, or promote it, then try again`;
    return new TroupeError("store_unavailable", message, { isAmbiguous: false }, error);
  }
  if (codeOf(error) === "55P03" || isRetried(error)) {
    const message = `another process holds what this call changes (${said}): try again`;
    return new TroupeError("lock_unavailable", message, {}, error);
  }
  if (/^TR00[12]$/.test(codeOf(error))) {
    const message = `the database refuses this: ${said}`;
    return new TroupeError("store_refused", message, { isLate: codeOf(error) === "TR002" }, error);
  }
  if (/^42(501|P01)$/.test(codeOf(error))) {
    const message = `the database refuses this (${said}): the role of a host acts as the members that grantHost gave it, and the rest needs one that owns the tables`;
    return new TroupeError("store_refused", message, {}, error);
  }
  if (/^(28...|3D000)$/.test(codeOf(error))) {
    const message = `the database refuses this (${said}): check the role, its password and the name of the database`;
    return new TroupeError("store_refused", message, {}, error);
  }
  if (codeOf(error) === "22021") {
    const message = `a name or id has a character that a database cannot hold (${said}): leave it out`;
    return new TroupeError("arguments_invalid", message, {}, error);
  }
  return error;
}
