/** That a remote failed, whatever it was asked for: also what it did not come to read in time, or wants to be sent once more. */
export function isFailed(status: number): boolean {
  return status >= 500 || status === 408 || status === 425;
}

export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}
