import { z } from 'zod';
import { PASSWORD_LENGTH } from './password-length.ts';

const { min, max } = PASSWORD_LENGTH;

export const newPassword = z
  .string('is missing')
  .min(min, `must have at least ${min} characters`)
  .max(max, `must have at most ${max} characters`);
