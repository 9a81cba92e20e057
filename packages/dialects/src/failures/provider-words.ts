/** Characters of a provider's error that are kept. */
export const MAX_WORDS = 500;

/**
 * Returns the start of a text for one line of a log or a terminal: without characters that move the cursor,
 * and not cut within a character.
 */
export function firstWords(text: string, maxLength: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return cutText(line, maxLength);
}

/** Cuts a text, without leaving half a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? maxLength - 1 : maxLength);
}

/** Match hosts, addresses, accounts and paths of a provider. */
const PRIVATE = [
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]*[^\s"'<>.,;:)]/gi,
  /[\w.+-]{1,100}@[\w-]+(?:\.[\w-]+)+/g,
  /\barn:[^\s"']+/g,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /(?<![\w:])\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])\]?(?::\d{1,5})?/gi,
  /\b(?:[a-z0-9-]+\.)+(?:internal|local|localdomain|lan|corp|svc|com|net|org|io|ai|dev|cloud|app)\b(?::\d{1,5})?/gi,
  /\b[a-z][a-z0-9-]*:\d{4,5}\b/gi,
  /\b(?:org|proj|acct)[-_][A-Za-z0-9]*\d[\w-]*/g,
  /\b(?:projects|accounts)\/[\w:.-]+/g,
  /\b(?:project|account)(?: number| id)?[ :]+"?\d{6,}/gi,
  /(?<![\w/])\/(?:home|usr|opt|app|var|etc|root|srv|mnt|data)\/[^\s"']+/g,
];

/** Removes what `PRIVATE` matches. @param text some hundred characters */
export function removePrivate(text: string): string {
  return PRIVATE.reduce((left, pattern) => left.replaceAll(pattern, '[removed]'), text);
}
