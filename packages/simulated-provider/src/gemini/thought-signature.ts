import { isSameSecret, signText } from '../text/signatures.ts';

/** Signatures that skip the check. Source: Google's guide "Thought signatures". */
const SKIPPED: ReadonlySet<string> = new Set([
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
]);

const HIDDEN_BYTES = 64;

/** Returns base64 that stands for the thinking: half of it is the signature of the other half. */
export function thoughtSignature(thought: string): string {
  const hidden = signText(`hidden ${thought}`);
  return Buffer.concat([hidden, signText(`thought ${hidden}`)].map(bytesOf)).toString('base64');
}

export function isThoughtSignature(signature: string): boolean {
  if (SKIPPED.has(signature)) return true;
  const bytes = bytesOf(signature);
  const hidden = bytes.subarray(0, HIDDEN_BYTES).toString('base64');
  return isSameSecret(bytes.subarray(HIDDEN_BYTES).toString('base64'), signText(`thought ${hidden}`));
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
