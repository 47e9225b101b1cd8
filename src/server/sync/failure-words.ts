/** What OpenSSL says of a certificate whose issuer is not known here. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Why a remote cannot be talked to, with the way out where its own words name one that nobody here has, or none. */
export function failureWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && untrusted.has(String(error.code)))
    return 'nobody that is trusted here has issued its certificate, as where a network that wants one to sign in answers in its place. Where the certificate is its own, start the node with NODE_EXTRA_CA_CERTS naming a file (PEM) with the certificate of who has issued it';
  // The other side may be a program that hangs, or what stands before it: it takes requests.
  if ('code' in error && error.code === 'UND_ERR_HEADERS_TIMEOUT') return 'it takes requests and gives no answer';
  if (/wrong version number/.test(error.message)) return 'it does not speak https there: try http';
  return error.message;
}

const silences = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Whether nothing came for as long as is waited for it. */
export function isSilence(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ('code' in error && silences.has(String(error.code))) || error.name === 'TimeoutError' || isSilence(error.cause)
  );
}
