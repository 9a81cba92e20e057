/** Returns whether a text is in the chunks of a body; it may be divided between them. */
export function containsBytes(chunks: readonly Buffer[], text: Buffer): boolean {
  const seamBytes = text.length - 1;
  let end: Buffer = Buffer.alloc(0);
  for (const chunk of chunks) {
    if (chunk.includes(text)) return true;
    const seam = Buffer.concat([end, chunk.subarray(0, seamBytes)]);
    if (seam.includes(text)) return true;
    end = chunk.length < seamBytes ? seam.subarray(-seamBytes) : chunk.subarray(-seamBytes);
  }
  return false;
}
