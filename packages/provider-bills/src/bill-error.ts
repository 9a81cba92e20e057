/** The error for a file or response that is no bill. The message says what is wrong and where. */
export class BillError extends Error {
  override readonly name = 'BillError';
}

/** Converts an error of gzip to a BillError. Returns any other error unchanged. */
export function zipErrorOf(error: unknown): unknown {
  const isZip = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
  return isZip
    ? new BillError(`The .gz file is damaged or cut off: ${error.message}.`, { cause: error })
    : error;
}
