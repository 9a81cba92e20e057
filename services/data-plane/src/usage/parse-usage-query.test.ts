import { GatewayError } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { encodePage } from './page-token.ts';
import { parseUsageQuery } from './parse-usage-query.ts';

const at = (text: string) => Date.parse(text) / 1_000;
const NOW = at('2026-03-17T10:20:30Z');
const parse = (query: string, now = NOW) => parseUsageQuery(new URLSearchParams(query), now);

function refusalOf(query: string): { param: string | null; message: string } {
  try {
    parse(query);
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return error;
    throw error;
  }
  throw new Error(`"${query}" was not refused`);
}

describe('the default period of a usage query', () => {
  it('is this month until now, by day', () => {
    expect(parse('')).toEqual({
      startTime: at('2026-03-01T00:00:00Z'),
      endTime: at('2026-03-17T10:21:00Z'),
      bucketWidth: '1d',
      groupBy: [],
      models: [],
      labels: [],
      limit: 31,
      pageStart: undefined,
      pageAfter: undefined,
    });
  });

  it('is a minute long in the first second of a month', () => {
    const midnight = at('2026-04-01T00:00:00Z');
    expect(parse('', midnight)).toMatchObject({ startTime: midnight, endTime: midnight + 60 });
  });

  it('starts with the month before a given end', () => {
    expect(parse(`end_time=${at('2026-02-01T00:00:00Z')}`)).toMatchObject({
      startTime: at('2026-01-01T00:00:00Z'),
    });
  });

  it('does not start before 1970', () => {
    expect(parse('end_time=1')).toMatchObject({ startTime: 0, endTime: 1 });
    expect(refusalOf('end_time=0')).toMatchObject({ param: 'start_time' });
  });
});

it.each([
  ['1d', 31],
  ['1h', 24],
  ['1m', 60],
])('a page of %s buckets has %i of them by default', (width, limit) => {
  expect(parse(`bucket_width=${width}`).limit).toBe(limit);
});

it.each([
  'group_by=model,key&models=a/b,c/d',
  'group_by=model&group_by=key&models=a/b&models=c/d',
  'group_by[]=model&group_by[]=key&models[]=a/b&models[]=c/d',
  'group_by%5B%5D=model&group_by=key,model&models=a%2Fb%2Cc/d',
])('lists are accepted as %s', (query) => {
  const { groupBy, models } = parse(query);
  expect(new Set(groupBy)).toEqual(new Set(['model', 'key']));
  expect(models).toEqual(['a/b', 'c/d']);
});

it('tags, end users and sessions are read as filters, with [] also those that have commas', () => {
  const query =
    'tags[project]=alpha,beta&tags%5Benv%5D=prod&tags[env]=dev&end_users=a,b&end_users[]=c,d&sessions=s';
  expect(parse(`group_by=tag:project,end_user,session,model&${query}`)).toMatchObject({
    groupBy: ['tag:project', 'end_user', 'session', 'model'],
    labels: [
      { label: 'tag:project', values: ['alpha', 'beta'] },
      { label: 'tag:env', values: ['prod', 'dev'] },
      { label: 'end_user', values: ['a', 'b', 'c,d'] },
      { label: 'session', values: ['s'] },
    ],
  });
});

it('a page token carries its period', () => {
  const page = { startTime: 60, endTime: 86_460, pageStart: 3_600 };
  expect(parse(`bucket_width=1h&page=${encodePage(page)}`)).toMatchObject(page);
});

it('unknown parameters are ignored', () => {
  expect(parse('utm_source=mail')).toEqual(parse(''));
});

it.each([
  ['start_time=yesterday', 'start_time', 'Unix seconds'],
  ['start_time=', 'start_time', 'Unix seconds'],
  ['start_time=1.5', 'start_time', 'Unix seconds'],
  ['start_time=-1', 'start_time', 'Unix seconds'],
  [`end_time=${NOW}000`, 'end_time', 'not milliseconds'],
  [`start_time=${NOW}&end_time=${NOW}`, 'start_time', 'before end_time'],
  [`start_time=${NOW + 3_600}`, 'start_time', 'before end_time'],
  ['start_time=1&start_time=2', 'start_time', 'more than once'],
  ['bucket_width=1w', 'bucket_width', '1m, 1h, 1d'],
  ['group_by=team', 'group_by[0]', 'model, key, capability, tag:<name>, end_user, session'],
  ['group_by=', 'group_by[0]', 'model, key, capability'],
  ['group_by=tag:Project', 'group_by[0]', 'tag:<name>'],
  ['tags[Project]=alpha', 'tags.Project', 'must name a tag'],
  ['tags[project]=', 'tags.project[0]', 'must name values'],
  [`end_users=${'x'.repeat(257)}`, 'end_users[0]', 'must name values'],
  ['models=', 'models[0]', 'must name models'],
  [`models=${Array.from({ length: 101 }, (_, index) => `m${index}`)}`, 'models', 'at most 100'],
  ['limit=0', 'limit', 'at least 1'],
  ['limit=367', 'limit', 'at most 366 for buckets of 1d'],
  ['limit=1441&bucket_width=1m', 'limit', 'at most 1440'],
  ['limit=ten', 'limit', 'whole number'],
  ['page=2', 'page', 'next_page'],
  [`page=${Buffer.from('5.4.3').toString('base64url')}`, 'page', 'next_page'],
])('%s is refused with a message that names %s', (query, param, words) => {
  const refusal = refusalOf(query);
  expect(refusal.param).toBe(param);
  expect(refusal.message).toContain(words);
});
