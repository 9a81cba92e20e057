/** A file or response that cannot be read as a bill. The message says what is wrong and where. */
export class BillError extends Error {
  override readonly name = 'BillError';
}

/** Makes a BillError of an error of gzip; returns any other error as it is. */
export function zipErrorOf(error: unknown): unknown {
  const isZip = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
  return isZip
    ? new BillError(`The .gz file is damaged or cut off: ${error.message}.`, { cause: error })
    : error;
}
