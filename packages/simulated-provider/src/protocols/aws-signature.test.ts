import { describe, expect, it } from 'vitest';
import { awsSignatureIn, isSignedBy } from './aws-signature.ts';

/** Requests of the suite that AWS has published ("Signature Version 4 test suite"), with their signatures. */
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const HOST = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' };
const PLAIN = 'host;x-amz-date';
const FORM = { ...HOST, 'content-type': 'application/x-www-form-urlencoded' };
const SIGNATURES = {
  get: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  post: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  query: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  header: 'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  form: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
};
const TWICE = { ...HOST, 'my-header1': 'value2,value2,value1' };
const QUERY = '/?Param2=value2&Param1=value1';
const VECTORS = [
  ['get-vanilla', 'GET', '/', HOST, '', PLAIN, SIGNATURES.get],
  ['post-vanilla', 'POST', '/', HOST, '', PLAIN, SIGNATURES.post],
  ['get-vanilla-query-order-key-case', 'GET', QUERY, HOST, '', PLAIN, SIGNATURES.query],
  ['get-header-key-duplicate', 'GET', '/', TWICE, '', 'host;my-header1;x-amz-date', SIGNATURES.header],
  [
    'post-x-www-form-urlencoded',
    'POST',
    '/',
    FORM,
    'Param1=value1',
    `content-type;${PLAIN}`,
    SIGNATURES.form,
  ],
] as const;

function signatureOf(names: string, hex: string) {
  const scope = 'AKIDEXAMPLE/20150830/us-east-1/service/aws4_request';
  const found = awsSignatureIn(
    `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${hex}`,
  );
  if (found === undefined) throw new Error('it is no signature');
  return found;
}

describe('the check of signatures', () => {
  it.each(VECTORS)('accepts the published request %s, and refuses any change of it', (...vector) => {
    const [, method, url, headers, body, names, hex] = vector;
    const request = { method, url, headers, body: Buffer.from(body) };
    const signature = signatureOf(names, hex);
    expect(isSignedBy(request, signature, SECRET)).toBe(true);
    expect(isSignedBy({ ...request, method: 'PUT' }, signature, SECRET)).toBe(false);
    expect(isSignedBy({ ...request, url: `${url}x` }, signature, SECRET)).toBe(false);
    expect(isSignedBy({ ...request, body: Buffer.from(`${body}x`) }, signature, SECRET)).toBe(false);
    const moved = { ...headers, host: 'example.org' };
    expect(isSignedBy({ ...request, headers: moved }, signature, SECRET)).toBe(false);
    expect(isSignedBy(request, { ...signature, region: 'eu-west-1' }, SECRET)).toBe(false);
    expect(isSignedBy(request, signature, `${SECRET}x`)).toBe(false);
  });
});
