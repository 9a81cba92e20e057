import { describe, expect, it } from 'vitest';
import { parseNoProxy } from './no-proxy.ts';

const isDirect = (text: string, host: string, port = 443) => parseNoProxy(text)(host, port);

describe('NO_PROXY', () => {
  it.each([
    ['acme.example', 'acme.example'],
    ['acme.example', 'api.acme.example'],
    ['.acme.example', 'api.acme.example'],
    ['*.acme.example', 'api.acme.example'],
    ['other.example, ACME.example', 'acme.example'],
    ['acme.example:443', 'acme.example'],
    ['*', 'anything.example'],
    ['10.0.0.0/8', '10.1.2.3'],
    ['192.0.2.7', '192.0.2.7'],
    ['fd00::/8', 'fd12::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
  ])('%s makes %s direct', (text, host) => {
    expect(isDirect(text, host)).toBe(true);
  });

  it.each([
    ['', 'acme.example'],
    ['acme.example', 'notacme.example'],
    ['acme.example', 'acme.example.other'],
    ['acme.example:8443', 'acme.example'],
    ['10.0.0.0/8', '11.1.2.3'],
    ['10.0.0.0/8', '10.example'],
    ['192.0.2.7', '192.0.2.77'],
  ])('%s leaves %s to the proxy', (text, host) => {
    expect(isDirect(text, host)).toBe(false);
  });

  it.each(['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '::1', '169.254.169.254'])(
    '%s is always direct',
    (host) => {
      expect(isDirect('', host)).toBe(true);
    },
  );

  it('is refused with an error that names the invalid range', () => {
    for (const bad of ['10.0.0.0/33', 'acme/8', '10.0.0.0/x'])
      expect(() => parseNoProxy(`acme.example, ${bad}`)).toThrow(`${bad} is not a range of addresses`);
  });
});
