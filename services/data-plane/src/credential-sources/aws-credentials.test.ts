import { Readable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { EgressProxy } from '../egress/egress-proxy.ts';
import { awsCredentials } from './aws-credentials.ts';

/** The key, the day and the region of the suite of signatures that AWS has published. */
const AT = new Date('2015-08-30T12:36:00Z');
const KEY = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

async function signed(content: string | Buffer[]) {
  for (const [name, value] of Object.entries(KEY)) vi.stubEnv(name, value);
  const { authenticate } = await awsCredentials('us-east-1').fetch(() => undefined, new EgressProxy());
  vi.useFakeTimers({ now: AT, toFake: ['Date'] });
  const body =
    typeof content === 'string'
      ? { contentType: 'application/json', content }
      : { contentType: 'application/json', content: Readable.from(content), pieces: content };
  return await authenticate({
    method: 'POST',
    origin: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    path: '/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'x' },
    body,
  });
}

it('a request is signed over its host, path, headers and body, and its own headers stay', async () => {
  const headers = await signed('{"a":1}');
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'x',
    host: 'bedrock-runtime.us-east-1.amazonaws.com',
    'x-amz-date': '20150830T123600Z',
    'x-amz-content-sha256': '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862',
  });
  expect(headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\/us-east-1\/bedrock\/aws4_request, SignedHeaders=accept;content-type;host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
  );
});

it('a body in pieces is signed as the same body in one piece', async () => {
  const whole = await signed('{"a":1}');
  expect(await signed([Buffer.from('{"a"'), Buffer.from(':1}')])).toEqual(whole);
});

it('a request is signed with stored keys if the environment has none', async () => {
  const stored = new Map(Object.entries({ ...KEY, AWS_SESSION_TOKEN: 'session' }));
  const { authenticate, secret } = await awsCredentials('us-east-1').fetch(
    (name) => stored.get(name),
    new EgressProxy(),
  );
  const body = { contentType: 'application/json', content: '{}' };
  const origin = 'https://bedrock-runtime.us-east-1.amazonaws.com';
  const headers = await authenticate({ method: 'POST', origin, path: '/x', headers: {}, body });
  expect(headers.authorization).toContain('Credential=AKIDEXAMPLE/');
  expect([headers['x-amz-security-token'], secret]).toEqual(['session', 'session']);
});

it('a 403 means stale AWS keys only if its message says so', () => {
  const { isStale } = awsCredentials('us-east-1');
  expect(isStale(403, '{"message":"The security token included in the request is expired"}')).toBe(true);
  expect(isStale(403, '{"message":"The security token included in the request is invalid."}')).toBe(true);
  expect(isStale(403, '{"message":"User is not authorized to perform: bedrock:InvokeModel"}')).toBe(false);
  expect(isStale(401, '')).toBe(true);
  expect(isStale(400, 'ExpiredToken')).toBe(false);
});
