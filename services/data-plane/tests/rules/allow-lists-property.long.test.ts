import { it } from 'vitest';
import { checkAllowLists } from './allow-lists-property.ts';

it('nothing is sent where the rules of any level forbid it, and what all allow is served', () =>
  checkAllowLists(1_000));
