import type { ControlPlaneClient } from '@model-gateway/contracts';
import { PATCH_SCHEMA, userBody } from '../fixtures/scim-fixture.ts';
import {
  type AuditWriter,
  anyOf,
  type Changes,
  PATIENCE_MS,
  remember,
  takeOne,
  unique,
} from './audit-writers.ts';
import { made, send } from './http-writers.ts';

interface Provisioned {
  id: string;
  email: string;
}

/**
 * Provisions users and groups as an identity provider does.
 * @param groups names of groups that give something
 * @param operator gives users keys, which stop with them
 */
export function scimWriter(
  urls: readonly string[],
  token: string,
  groups: readonly string[],
  operator: ControlPlaneClient,
): AuditWriter {
  const call = (method: string, path: string, body?: unknown) =>
    send(urls, { method, path: `/scim/v2${path}`, token, body });
  const patch = (path: string, ...operations: object[]) =>
    call('PATCH', path, { schemas: [PATCH_SCHEMA], Operations: operations });
  const active: Provisioned[] = [];
  const inactive: Provisioned[] = [];
  const created: string[] = [];
  const newUser = async (attributes: object) => {
    const email = `${unique()}@example.com`;
    const { json } = await call('POST', '/Users', userBody(email, attributes));
    return { id: made.parse(json).id, email };
  };
  const createKey = async ({ email: account }: Provisioned) => {
    await operator.callOnce(PATIENCE_MS, 'accounts', 'createKey', { account, name: unique() });
  };
  const changes: Changes = [
    async () => {
      const user = await newUser({});
      active.push(user);
      return { action: 'scim.user_created', objectId: user.id };
    },
    async () => {
      const user = await newUser({ active: false });
      inactive.push(user);
      return { action: 'scim.user_created', objectId: user.id };
    },
    async () => {
      const user = takeOne(active);
      await createKey(user);
      await patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value: false });
      inactive.push(user);
      return { action: 'scim.user_deactivated', objectId: user.id };
    },
    async () => {
      const user = takeOne(inactive);
      await patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value: true });
      active.push(user);
      return { action: 'scim.user_reactivated', objectId: user.id };
    },
    async () => {
      const user = anyOf(active);
      await patch(`/Users/${user.id}`, { op: 'replace', path: 'displayName', value: unique() });
      return { action: 'scim.user_updated', objectId: user.id };
    },
    async () => {
      const user = takeOne(active);
      await createKey(user);
      await call('DELETE', `/Users/${user.id}`);
      return { action: 'scim.user_deleted', objectId: user.id };
    },
    async () => {
      const name = anyOf(groups);
      const members = [...new Set([anyOf(active), anyOf(active)])].map(({ id }) => ({ value: id }));
      const { json } = await call('POST', '/Groups', { displayName: name, members });
      return { action: 'scim.group_created', objectId: remember(created, made.parse(json).id) };
    },
    async () => {
      const id = anyOf(created);
      const member = anyOf(active);
      await patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: member.id }] });
      await patch(`/Groups/${id}`, { op: 'remove', path: `members[value eq "${member.id}"]` });
      return { action: 'scim.group_changed', objectId: id };
    },
    async () => {
      const id = takeOne(created);
      await call('DELETE', `/Groups/${id}`);
      return { action: 'scim.group_deleted', objectId: id };
    },
  ];
  return { by: 'scim by scim', change: () => anyOf(changes)() };
}
