import { expect, it } from 'vitest';
import { ownOrigins } from './own-origin.ts';

it('a loopback site has two origins, any other site one', () => {
  expect(ownOrigins('http://localhost:8090')).toEqual(['http://localhost:8090', 'http://127.0.0.1:8090']);
  expect(ownOrigins('http://127.0.0.1:8090').sort()).toEqual([
    'http://127.0.0.1:8090',
    'http://localhost:8090',
  ]);
  expect(ownOrigins('https://dashboard.example.com')).toEqual(['https://dashboard.example.com']);
});
