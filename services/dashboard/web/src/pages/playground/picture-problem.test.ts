import { expect, test } from 'vitest';
import { pictureProblem } from './picture-problem.ts';

const file = (size: number, type = 'image/png') => ({ name: 'a.png', size, type });

test('images are attached up to 6 MB together', () => {
  expect(pictureProblem([], [file(3_000_000), file(3_000_000)])).toBeUndefined();
  expect(pictureProblem([{ url: 'x'.repeat(4_000_000) }], [file(3_100_000)])).toContain('6 MB');
});

test('a file that is no image has a problem that names it', () => {
  expect(pictureProblem([], [file(10, 'image/svg+xml')])).toBe('a.png is no PNG, JPEG, WebP or GIF image.');
});
