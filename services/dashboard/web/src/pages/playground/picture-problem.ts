import type { Picture } from './chat-turn.ts';

/** The formats that every provider with pictures reads. */
export const PICTURE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** Maximum size of a message's pictures together, in bytes. The server accepts chats of 10 MiB. */
const MAX_BYTES = 6_000_000;
const BASE64 = 3 / 4;

/** @returns the reason why these files cannot be attached; undefined: they can */
export function pictureProblem(
  attached: readonly Pick<Picture, 'url'>[],
  files: readonly Pick<File, 'name' | 'size' | 'type'>[],
): string | undefined {
  const other = files.find(({ type }) => !PICTURE_TYPES.includes(type));
  if (other !== undefined) return `${other.name} is no PNG, JPEG, WebP or GIF image.`;
  const bytes =
    attached.reduce((sum, { url }) => sum + url.length * BASE64, 0) +
    files.reduce((sum, { size }) => sum + size, 0);
  return bytes > MAX_BYTES
    ? 'The images of a message may have 6 MB together. Attach smaller ones.'
    : undefined;
}
