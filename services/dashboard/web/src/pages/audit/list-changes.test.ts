import { expect, it } from 'vitest';
import { listChanges } from './list-changes.ts';

it('a change lists the fields that differ, with both values', () => {
  const before = { object: 'api_key', id: 'key_1', name: 'Old', tags: { a: '1' }, revoked_at: null };
  const after = { ...before, name: 'New', tags: { a: '2' }, revoked_at: '2026-11-26T00:00:00.000Z' };
  expect(listChanges({ before, after })).toEqual([
    { field: 'name', before: 'Old', after: 'New' },
    { field: 'tags', before: '{"a":"1"}', after: '{"a":"2"}' },
    { field: 'revoked_at', before: null, after: '2026-11-26T00:00:00.000Z' },
  ]);
});

it('a creation lists what the object has, and a long value is cut', () => {
  const after = { object: 'team', name: 'x'.repeat(200), external_id: null };
  expect(listChanges({ before: null, after })).toEqual([
    { field: 'name', before: null, after: `${'x'.repeat(120)}…` },
  ]);
  expect(listChanges({ before: null, after: null })).toEqual([]);
});

it('fields that the table shows already, and empty ones, are left out', () => {
  const after = { id: 'key_1', account_id: 'acct_1', created_at: '2026-11-26T00:00:00.000Z', name: '' };
  expect(listChanges({ before: null, after: { ...after, tags: {}, networks: [] } })).toEqual([]);
  expect(listChanges({ before: { tags: {} }, after: { tags: { a: '1' } } })).toEqual([
    { field: 'tags', before: null, after: '{"a":"1"}' },
  ]);
});
