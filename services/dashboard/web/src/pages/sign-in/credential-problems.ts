import { PASSWORD_LENGTH } from '../../../../wire/password-length.ts';

const { min, max } = PASSWORD_LENGTH;
const MAX_EMAIL_LENGTH = 254;

/** Returns the problem with an e-mail address, if any; the server checks more. */
export function emailProblem(email: string): string | undefined {
  const trimmed = email.trim();
  if (trimmed === '') return 'Enter your e-mail address.';
  if (trimmed.length > MAX_EMAIL_LENGTH) {
    return `Enter an e-mail address of at most ${MAX_EMAIL_LENGTH} characters.`;
  }
  return /^[^\s@]+@[^\s@]+$/.test(trimmed) ? undefined : 'Enter an e-mail address such as ada@example.com.';
}

export function newPasswordProblem(password: string): string | undefined {
  if (password.length < min) return `Choose a password of at least ${min} characters.`;
  return password.length > max ? `Choose a password of at most ${max} characters.` : undefined;
}

export const newPasswordHint = `At least ${min} characters. A few unrelated words make a good one.`;
