import { expect, test } from 'vitest';
import { emailProblem, newPasswordProblem } from './credential-problems.ts';

test('an address needs an @, and may have spaces around it', () => {
  expect(emailProblem(' ada@example.com ')).toBeUndefined();
  expect(emailProblem('ada.example.com')).toContain('ada@example.com');
  expect(emailProblem('  ')).toBe('Enter your e-mail address.');
});

test('a new password has 10 to 128 characters', () => {
  expect(newPasswordProblem('a'.repeat(9))).toContain('at least 10');
  expect(newPasswordProblem('a'.repeat(10))).toBeUndefined();
  expect(newPasswordProblem('a'.repeat(128))).toBeUndefined();
  expect(newPasswordProblem('a'.repeat(129))).toContain('at most 128');
});
