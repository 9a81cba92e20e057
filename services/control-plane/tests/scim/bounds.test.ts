import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { connectProvider, type IdentityProvider, userBody } from '../fixtures/scim-fixture.ts';

const control = useControlPlanes();

const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;

/** Connects a provider with two users. */
async function withUsers(): Promise<{ idp: IdentityProvider; first: string; second: string }> {
  const idp = await connectProvider(control, { name: newEmail() });
  const [first, second] = [await idp.createUser(newEmail()), await idp.createUser(newEmail())];
  return { idp, first, second };
}

describe('a filter', () => {
  it.each([
    `userName eq "x' OR '1'='1"`,
    'userName eq "x\\" or userName pr or userName eq \\"y"',
    `userName sw "%"`,
    `displayName co "_est%"`,
    `externalId eq "'; DROP TABLE scim_users; --"`,
    'emails.value eq "\\u0027) OR true --"',
    'groups eq "x\\") or true"',
  ])('matches texts as they are: %s', async (filter) => {
    const { idp } = await withUsers();
    expect((await idp.find('Users', filter)).totalResults).toBe(0);
    expect((await idp.send('GET', '/Users')).body).toMatchObject({ totalResults: 2 });
  });

  it.each([
    'userName',
    'userName eq',
    'userName eq x',
    'userName like "x"',
    'password eq "x"',
    'u.directory eq "x"',
    'userName eq "x" and',
    '(userName eq "x"',
    'userName eq "x")',
    'userName eq "x" userName eq "y"',
    'active sw "tr"',
    'active eq "maybe"',
    'meta.created gt "yesterday"',
    'emails[type eq "work"',
    'userName eq "\\u0000"',
    'userName eq "x" ; select',
    `userName eq "${'x'.repeat(2_048)}"`,
    Array.from({ length: 51 }, () => 'active eq true').join(' or '),
    '('.repeat(1_000),
    'not '.repeat(500),
  ])('that cannot be read is refused: %s', async (filter) => {
    const { idp } = await withUsers();
    const answer = await idp.send('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    expect(answer).toMatchObject({ status: 400, body: { status: '400', scimType: 'invalidFilter' } });
  });
});

describe('a list-valued remove', () => {
  it('removes the members that it names, whatever their ids contain', async () => {
    const { first, idp, second } = await withUsers();
    const group = await idp.createGroup(newEmail(), [first, second]);
    const remove = (...values: string[]) =>
      idp.patch(`/Groups/${group}`, {
        op: 'Remove',
        path: 'members',
        value: values.map((value) => ({ value })),
      });
    expect((await remove('x" or value pr or value eq "y')).status).toBe(204);
    expect((await idp.send('GET', `/Groups/${group}`)).body).toMatchObject({
      members: [{ value: first }, { value: second }],
    });
    await remove(first, 'unknown');
    expect((await idp.send('GET', `/Groups/${group}`)).body).toMatchObject({ members: [{ value: second }] });
    await idp.patch(`/Groups/${group}`, { op: 'remove', path: 'members' });
    expect((await idp.send('GET', `/Groups/${group}`)).body).toMatchObject({ members: [] });
  });
});

describe('a request', () => {
  it('with a body, an operation or a group that is too large is refused', async () => {
    const { idp, first } = await withUsers();
    const large = { ...userBody(newEmail()), nickName: 'x'.repeat(4 * 1024 * 1024) };
    expect(await idp.send('POST', '/Users', large)).toMatchObject({ status: 413, body: { status: '413' } });
    const operations = Array.from({ length: 1_001 }, () => ({ op: 'add', path: 'title', value: 'x' }));
    expect((await idp.patch(`/Users/${first}`, ...operations)).status).toBe(400);
    const members = Array.from({ length: 20_001 }, (_, index) => ({ value: `${index}` }));
    expect((await idp.send('POST', '/Groups', { displayName: 'large', members })).status).toBe(413);
    expect(
      (await idp.send('POST', '/Users', userBody(newEmail(), { displayName: 'x'.repeat(256) }))).status,
    ).toBe(400);
    expect((await idp.send('POST', '/Users', 'x', { 'content-type': 'text/plain' })).status).toBe(415);
    const hostile = { length: { toString: 1 } };
    expect((await idp.send('POST', '/Users', userBody(newEmail(), { displayName: hostile }))).status).toBe(
      400,
    );
    expect((await idp.send('POST', '/Groups', { displayName: hostile })).status).toBe(400);
    expect((await idp.send('PATCH', `/Users/${first}`, { schemas: [], Operations: hostile })).status).toBe(
      400,
    );
  });

  it('with another method or path is answered in the form of SCIM', async () => {
    const { idp } = await withUsers();
    for (const [method, path] of [
      ['GET', '/Me'],
      ['POST', '/Bulk'],
      ['DELETE', '/Users'],
    ] as const) {
      expect(await idp.send(method, path, method === 'POST' ? {} : undefined)).toMatchObject({
        status: 404,
        body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'] },
      });
    }
  });

  it('with If-Match changes a version only, and If-None-Match saves the body', async () => {
    const { first, idp } = await withUsers();
    const path = `/Users/${first}`;
    const etag = (await idp.send('GET', path)).headers.get('etag') ?? '';
    expect((await idp.send('GET', path, undefined, { 'if-none-match': etag })).status).toBe(304);
    const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] };
    const rename = { ...body, Operations: [{ op: 'replace', path: 'displayName', value: 'New' }] };
    expect((await idp.send('PATCH', path, rename, { 'if-match': etag })).status).toBe(200);
    expect((await idp.send('PATCH', path, rename, { 'if-match': etag })).status).toBe(412);
    expect((await idp.send('DELETE', path, undefined, { 'if-match': etag })).status).toBe(412);
    expect((await idp.send('GET', path, undefined, { 'if-none-match': etag })).status).toBe(200);
  });
});
