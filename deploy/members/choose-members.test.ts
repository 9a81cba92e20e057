import { expect, it } from 'vitest';
import { chooseMembers, type Standing } from './choose-members.ts';

const standings = (record: Record<string, Standing>) => new Map(Object.entries(record));

it('a replica gets requests from when it is ready until it drains', () => {
  const choose = (two: Standing) =>
    chooseMembers(standings({ one: 'ready', two: 'ready' }), standings({ one: 'ready', two }));
  expect(choose('unready')).toEqual(['one']);
  expect(choose('ready')).toEqual(['one', 'two']);
  expect(choose('draining')).toEqual(['one']);
  expect(choose('gone')).toEqual(['one']);
});

it('one missed answer does not cost a replica its place, two do', () => {
  const now = standings({ one: 'ready', two: 'silent' });
  expect(chooseMembers(standings({ one: 'ready', two: 'ready' }), now)).toEqual(['one', 'two']);
  expect(chooseMembers(now, now)).toEqual(['one']);
});

it('where nobody is ready, whoever is there answers what is wrong', () => {
  const now = standings({ one: 'unready', two: 'silent', three: 'draining', four: 'gone' });
  expect(chooseMembers(new Map(), now)).toEqual(['one', 'two']);
});
