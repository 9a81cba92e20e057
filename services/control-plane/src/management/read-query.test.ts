import { expect, it } from 'vitest';
import { readQuery } from './read-query.ts';

it.each([
  ['/a', {}],
  ['/a?', {}],
  ['/a?limit=1&name=a%20b', { limit: '1', name: 'a b' }],
  ['/a?by=x&by=y', { by: ['x', 'y'] }],
  ['/a?by[]=x', { by: ['x'] }],
  ['/a?by%5B%5D=x&by%5B%5D=y', { by: ['x', 'y'] }],
  ['/a?at[gte]=1&at[lt]=2', { at: { gte: '1', lt: '2' } }],
  ['/a?tags[project]=x&tags[project]=y&tags[env][]=z', { tags: { project: ['x', 'y'], env: ['z'] } }],
  ['/a?[x]=1&b[=2', { '[x]': '1', 'b[': '2' }],
])('the query of %s is %j', (url, query) => {
  expect(readQuery(url)).toEqual(query);
});

it('a member named __proto__, which a schema would drop, is refused', () => {
  expect(() => readQuery('/a?tags[__proto__]=x')).toThrow('unknown field: tags.__proto__');
});
