import { createHash } from 'node:crypto';

export const DEFAULT_DIMENSIONS = 256;

const GRAM_LENGTH = 3;
/** More text would hardly change the vector. */
const MAX_READ_CHARACTERS = 20_000;

/** Computes a unit vector from a text's character trigrams, so that texts with the same words are close. */
export function embedText(text: string, dimensions: number): Float32Array {
  const normal = ` ${text.slice(0, MAX_READ_CHARACTERS).toLowerCase().replace(/\s+/g, ' ').trim()} `;
  const grams: string[] = [];
  for (let start = 0; start + GRAM_LENGTH <= normal.length; start++) {
    grams.push(normal.slice(start, start + GRAM_LENGTH));
  }
  return embedGrams(grams.length > 0 ? grams : [normal], dimensions);
}

/** Does the same for token numbers. */
export function embedTokens(tokens: readonly number[], dimensions: number): Float32Array {
  return embedGrams(tokens.map(String), dimensions);
}

/** Returns the cosine of the angle between two unit vectors. */
export function similarity(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

/** Encodes as little-endian float32, as OpenAI does, on any machine. */
export function encodeBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [index, value] of vector.entries())
    bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString('base64');
}

/** Feature hashing: each gram adds to, or takes from, one dimension. */
function embedGrams(grams: readonly string[], dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const gram of grams) {
    const hash = fnv1a(gram);
    const index = (hash >>> 1) % dimensions;
    vector[index] = (vector[index] ?? 0) + (hash & 1 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  // All grams cancelled each other. Any constant direction will do.
  if (length === 0) return embedGrams([createHash('sha256').update(grams.join()).digest('hex')], dimensions);
  return vector.map((value) => value / length);
}

/** The Fowler–Noll–Vo hash with 32 bits, mixed at the end because its lowest bits are too regular. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
