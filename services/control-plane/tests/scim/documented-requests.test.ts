import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { connectProvider, idOf, PATCH_SCHEMA, scimList, userBody } from '../fixtures/scim-fixture.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const control = useControlPlanes();

const newName = () => `Test_User_${randomBytes(6).toString('hex')}`;

// The requests of "Develop and plan provisioning for a SCIM endpoint" and of "Known issues with SCIM 2.0
// protocol compliance" (learn.microsoft.com/entra/identity/app-provisioning), with and without
// aadOptscim062020.
describe('requests that Entra ID is documented to send', () => {
  it('find, create, change, disable, restore and delete a user', async () => {
    const entra = await connectProvider(control, { name: 'entra' });
    const name = newName();
    expect((await entra.find('Users', `userName eq "${name}"`)).Resources).toEqual([]);
    const created = await entra.send('POST', '/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: name,
      active: true,
      emails: [{ primary: true, type: 'work', value: `${name}@testuser.com` }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
      [ENTERPRISE]: { department: 'Sales' },
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
        userName: name,
        active: true,
        emails: [{ primary: true, type: 'work', value: `${name}@testuser.com` }],
        name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
        meta: { resourceType: 'User', version: 'W/"1"' },
      },
    });
    expect(created.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    const path = `/Users/${idOf(created)}`;
    for (const filter of [
      `userName eq "${name.toUpperCase()}"`,
      `externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef" and active eq true`,
      `emails[type eq "work"].value eq "${name}@testuser.com"`,
    ]) {
      expect(await entra.find('Users', filter)).toMatchObject({ totalResults: 1, Resources: [created.body] });
    }
    const hasManager = await entra.find('Users', `id eq "${idOf(created)}" and manager eq "00aa00aa"`);
    expect(hasManager.totalResults).toBe(0);
    const patches: [object[], object][] = [
      [
        [
          { op: 'Replace', path: 'emails[type eq "work"].value', value: `updated.${name}@testuser.com` },
          { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
        ],
        {
          emails: [{ type: 'work', value: `updated.${name}@testuser.com`, primary: true }],
          name: { familyName: 'updatedFamilyName', givenName: 'givenName' },
        },
      ],
      [
        [{ op: 'Replace', path: 'userName', value: `5b50642d.${name}@testuser.com` }],
        { userName: `5b50642d.${name}@testuser.com` },
      ],
      [[{ op: 'Add', path: 'nickName', value: 'Babs' }], {}],
      [
        [
          { op: 'Add', path: 'emails[type eq "other"].value', value: `other.${name}@testuser.com` },
          { op: 'Replace', path: `${ENTERPRISE}:employeeNumber`, value: 'Eqpj' },
          { op: 'Replace', path: 'externalId', value: 'Eqpj' },
        ],
        { externalId: 'Eqpj' },
      ],
      [
        [
          {
            op: 'replace',
            value: {
              displayName: 'Bjfe',
              'name.givenName': 'Kkom',
              'name.familyName': 'Unua',
              [`${ENTERPRISE}:employeeNumber`]: 'Aklq',
            },
          },
        ],
        { displayName: 'Bjfe', name: { givenName: 'Kkom', familyName: 'Unua' } },
      ],
      [[{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
      [[{ op: 'Replace', path: 'active', value: 'True' }], { active: true }],
      [[{ op: 'replace', path: 'active', value: false }], { active: false }],
      [[{ op: 'Replace', path: 'active', value: true }], { active: true }],
    ];
    for (const [operations, expected] of patches) {
      expect(await entra.patch(path, ...operations)).toMatchObject({ status: 200, body: expected });
      expect((await entra.send('GET', path)).body).toMatchObject(expected);
    }
    expect(await entra.send('DELETE', path)).toMatchObject({ status: 204, body: {} });
    expect(await entra.send('GET', path)).toMatchObject({
      status: 404,
      body: { schemas: [ERROR], status: '404' },
    });
  });

  it('create, find, rename, fill, empty and delete a group', async () => {
    const entra = await connectProvider(control, { name: 'entra' });
    const displayName = newName();
    const userId = await entra.createUser(`${newName()}@testuser.com`);
    const created = await entra.send('POST', '/Groups', {
      schemas: [
        'urn:ietf:params:scim:schemas:core:2.0:Group',
        'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
      ],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName,
      meta: { resourceType: 'Group' },
    });
    expect(created).toMatchObject({ status: 201, body: { displayName, members: [] } });
    const path = `/Groups/${idOf(created)}`;
    const found = await entra.find(
      'Groups',
      `displayName eq "${displayName}"`,
      '&excludedAttributes=members',
    );
    expect(found.Resources).toEqual([expect.not.objectContaining({ members: expect.anything() })]);
    expect((await entra.send('GET', `${path}?excludedAttributes=members`)).body).not.toHaveProperty(
      'members',
    );
    const rename = { op: 'Replace', path: 'displayName', value: `${displayName}updatedDisplayName` };
    expect(await entra.patch(path, rename)).toMatchObject({ status: 204, body: {} });
    const add = { op: 'Add', path: 'members', value: [{ $ref: null, value: userId }] };
    expect((await entra.patch(path, add)).status).toBe(204);
    const isMember = await entra.find('Groups', `id eq "${idOf(created)}" and members eq "${userId}"`);
    expect(isMember.totalResults).toBe(1);
    const remove = { op: 'Remove', path: 'members', value: [{ $ref: null, value: userId }] };
    expect((await entra.patch(path, remove)).status).toBe(204);
    expect((await entra.send('GET', path)).body).toMatchObject({ members: [] });
    await entra.patch(path, add);
    expect((await entra.patch(path, { op: 'remove', path: `members[value eq "${userId}"]` })).status).toBe(
      204,
    );
    expect((await entra.send('GET', path)).body).toMatchObject({ members: [] });
    expect((await entra.send('DELETE', path)).status).toBe(204);
    expect((await entra.send('GET', path)).status).toBe(404);
  });

  it('read the schemas, resource types and configuration', async () => {
    const entra = await connectProvider(control, { name: 'entra' });
    const { body } = await entra.send('GET', '/Schemas');
    expect(body).toMatchObject({
      schemas: [LIST],
      totalResults: 2,
      Resources: [
        { id: 'urn:ietf:params:scim:schemas:core:2.0:User' },
        { id: 'urn:ietf:params:scim:schemas:core:2.0:Group' },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('null');
    expect(
      (await entra.send('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User')).body,
    ).toMatchObject({
      name: 'User',
    });
    expect((await entra.send('GET', '/ResourceTypes/Group')).body).toMatchObject({ endpoint: '/Groups' });
    expect((await entra.send('GET', '/ServiceProviderConfig')).body).toMatchObject({
      patch: { supported: true },
      filter: { supported: true, maxResults: 200 },
      etag: { supported: true },
      bulk: { supported: false },
    });
  });
});

// The steps of Okta's SCIM 2.0 test suite for Runscope and of its "SCIM 2.0 Protocol Reference".
describe('requests that Okta is documented to send', () => {
  it('pass its suite of required tests', async () => {
    const okta = await connectProvider(control, { name: `okta-${newName()}` });
    await okta.createUser(`${newName()}@example.com`);
    const page = await okta.send('GET', '/Users?count=1&startIndex=1');
    expect(page.body).toMatchObject({
      schemas: [LIST],
      itemsPerPage: 1,
      startIndex: 1,
      totalResults: 1,
      Resources: [
        {
          id: expect.any(String),
          name: { familyName: expect.any(String), givenName: expect.any(String) },
          userName: expect.any(String),
          active: true,
          emails: [{ value: expect.any(String) }],
        },
      ],
    });
    expect(await okta.find('Users', 'userName eq "abcdefgh@example.com"')).toMatchObject({ totalResults: 0 });
    expect(await okta.send('GET', '/Users/010101001010101011001010101011')).toMatchObject({
      status: 404,
      body: { schemas: [ERROR], status: '404', detail: expect.any(String) },
    });
    const email = `${newName()}@example.com`;
    const created = await okta.send('POST', '/Users', {
      ...userBody(email),
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
    });
    expect(created).toMatchObject({ status: 201, body: { userName: email, active: true, groups: [] } });
    expect(created.body).not.toHaveProperty('password');
    expect(await okta.send('POST', '/Users', userBody(email))).toMatchObject({
      status: 409,
      body: { schemas: [ERROR], status: '409', scimType: 'uniqueness' },
    });
    expect(await okta.find('Users', `userName eq "${email.toUpperCase()}"`)).toMatchObject({
      totalResults: 1,
    });
    expect((await okta.send('GET', '/Groups?startIndex=1&count=100')).body).toMatchObject({ Resources: [] });
  });

  it('update, deactivate and reactivate a user by PUT and by PATCH', async () => {
    const okta = await connectProvider(control, { name: 'okta' });
    const email = `${newName()}@example.com`;
    const id = await okta.createUser(email);
    const path = `/Users/${id}`;
    const { body } = await okta.send('GET', path);
    const name = { givenName: 'Another', middleName: 'Excited', familyName: 'User' };
    expect(await okta.send('PUT', path, { ...body, name })).toMatchObject({
      status: 200,
      body: { id, name: { givenName: 'Another', familyName: 'User' } },
    });
    const deactivate = { op: 'replace', value: { active: false } };
    expect(await okta.patch(path, deactivate)).toMatchObject({ status: 200, body: { active: false } });
    const { active: _active, ...withoutActive } = body;
    expect((await okta.send('PUT', path, withoutActive)).body).toMatchObject({ active: false });
    expect((await okta.send('PUT', path, { ...body, active: true })).body).toMatchObject({ active: true });
    expect((await okta.send('PUT', path, { ...body, active: false })).body).toMatchObject({ active: false });
  });

  it('push a group, and change its name and members', async () => {
    const okta = await connectProvider(control, { name: 'okta' });
    const [first, second] = [
      await okta.createUser(`${newName()}@example.com`),
      await okta.createUser(`${newName()}@example.com`),
    ];
    const displayName = newName();
    const id = await okta.createGroup(displayName, [first]);
    const path = `/Groups/${id}`;
    expect(
      (await okta.patch(path, { op: 'replace', value: { id, displayName: `${displayName}0` } })).status,
    ).toBe(204);
    const swap = [
      { op: 'remove', path: `members[value eq "${first}"]` },
      { op: 'add', path: 'members', value: [{ value: second, display: 'test.user@okta.local' }] },
    ];
    await okta.patch(path, ...swap);
    expect((await okta.send('GET', path)).body).toMatchObject({
      displayName: `${displayName}0`,
      members: [{ value: second }],
    });
    await okta.patch(path, { op: 'replace', path: 'members', value: [{ value: first }, { value: second }] });
    expect((await okta.send('GET', `/Users/${first}`)).body).toMatchObject({ groups: [{ value: id }] });
    const put = { schemas: [], id, displayName, members: [{ value: first }] };
    expect((await okta.send('PUT', path, put)).body).toMatchObject({ members: [{ value: first }] });
    expect((await okta.send('DELETE', path)).status).toBe(204);
  });
});

// Requests of PostmanCollection.json (github.com/AzureAD/SCIMReferenceCode) that the tests above lack.
describe('requests of the reference code of Entra ID', () => {
  it('list, page, filter and project', async () => {
    const entra = await connectProvider(control, { name: `entra-${newName()}` });
    const ids = [];
    for (const letter of ['a', 'b', 'c']) {
      ids.push(
        await entra.createUser(`${letter}.${newName()}@example.com`, { displayName: `Bob ${letter}` }),
      );
    }
    const found = await entra.send('GET', '/Users?filter=DisplayName+eq+%22bob+B%22');
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: ids[1] }] });
    const paged = await entra.send('GET', '/Users?startIndex=2&count=2');
    expect(paged.body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 2 });
    const projected = await entra.send('GET', '/Users?attributes=userName,emails%5Btype+eq+%22work%22%5D');
    const [first] = scimList.parse(projected.body).Resources;
    expect(Object.keys(first ?? {}).sort()).toEqual(['emails', 'id', 'meta', 'schemas', 'userName']);
    const filters: [string, number][] = [
      ['name.FamilyName eq "User" and (emails.Value co "example.com" or emails.Value co "example.org")', 3],
      ['userName sw "A."', 1],
      ['displayName ew "c"', 1],
      ['not (displayName co "b b")', 2],
      ['userName ne "x"', 3],
      ['active eq "True"', 3],
      ['active eq false', 0],
      ['externalId pr', 0],
      ['emails[type eq "home"]', 0],
      ['meta.lastModified gt "2015-10-10T14:38:21.8617979-07:00"', 3],
    ];
    for (const [filter, count] of filters) {
      expect([filter, (await entra.find('Users', filter)).totalResults]).toEqual([filter, count]);
    }
  });

  it('refuse bodies that cannot be used, and say why', async () => {
    const entra = await connectProvider(control, { name: 'entra' });
    const email = `${newName()}@example.com`;
    const id = await entra.createUser(email, { active: 'True' });
    const groupId = await entra.createGroup(newName());
    const refused: [string, string, unknown, object][] = [
      ['POST', '/Users', { active: true }, { scimType: 'invalidValue' }],
      ['POST', '/Users', '{"acve": tre', { scimType: 'invalidSyntax' }],
      ['POST', '/Users', userBody('no address', { emails: [] }), { scimType: 'invalidValue' }],
      ['PUT', `/Users/${id}`, { userame: 'OMalley' }, { scimType: 'invalidValue' }],
      ['PATCH', `/Users/${id}`, { Operations: [] }, { scimType: 'invalidSyntax' }],
      [
        'PATCH',
        `/Groups/${groupId}`,
        { schemas: [PATCH_SCHEMA], Operations: [{ op: 'add', path: 'members', value: 'string id 1' }] },
        { scimType: 'invalidValue' },
      ],
      [
        'PATCH',
        `/Users/${id}`,
        { schemas: [PATCH_SCHEMA], Operations: [{ op: 'remove', path: 'userName' }] },
        { scimType: 'mutability' },
      ],
    ];
    for (const [method, path, body, error] of refused) {
      expect(await entra.send(method, path, body)).toMatchObject({
        status: 400,
        body: { schemas: [ERROR], status: '400', detail: expect.any(String), ...error },
      });
    }
  });
});
