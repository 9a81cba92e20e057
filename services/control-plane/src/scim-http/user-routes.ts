import type { ControlPlaneContext } from '../context.ts';
import { parseFilter } from '../scim/filter/parse-filter.ts';
import { listResponse, pageOf } from '../scim/page.ts';
import { noResource } from '../scim/scim-error.ts';
import { etagOf, project, projectionOf, userResource } from '../scim/scim-resources.ts';
import { changeUser, createUser, deleteUser } from '../scim/users/provision-user.ts';
import { ifMatchCheck, isUnchanged } from './preconditions.ts';
import type { ScimRequest, ScimResponse, ScimRoute } from './scim-route.ts';

export const userRoutes: ScimRoute[] = [
  {
    method: 'get',
    path: '/Users',
    handle: async ({ scimUserListStore }, { directory, query, signal }) => {
      const filter = typeof query.filter === 'string' ? parseFilter(query.filter) : undefined;
      const page = pageOf(query);
      const { total, users } = await scimUserListStore.list(directory, filter, page, signal);
      const projection = projectionOf(query);
      const resources = users.map((user) => project(userResource(user), projection));
      return { status: 200, body: listResponse(total, page, resources) };
    },
  },
  {
    method: 'post',
    path: '/Users',
    handle: async (context, request) => {
      const { id } = await createUser(context, request.actor, request.directory, request.body);
      return await respondWith(context, request, id, 201);
    },
  },
  {
    method: 'get',
    path: '/Users/:id',
    handle: (context, request) => respondWith(context, request, request.id, 200),
  },
  {
    method: 'put',
    path: '/Users/:id',
    handle: async (context, { body, ...request }) => {
      const { actor, directory, id, ifMatch } = request;
      await changeUser(context, actor, directory, { id, check: ifMatchCheck(ifMatch), body });
      return await respondWith(context, request, id, 200);
    },
  },
  {
    method: 'patch',
    path: '/Users/:id',
    handle: async (context, { body: patch, ...request }) => {
      const { actor, directory, id, ifMatch } = request;
      await changeUser(context, actor, directory, { id, check: ifMatchCheck(ifMatch), patch });
      return await respondWith(context, request, id, 200);
    },
  },
  {
    method: 'delete',
    path: '/Users/:id',
    handle: async (context, { actor, directory, id, ifMatch }) => {
      await deleteUser(context, actor, directory, { id, check: ifMatchCheck(ifMatch) });
      return { status: 204 };
    },
  },
];

/** @throws ScimError 404 */
async function respondWith(
  { scimUserListStore }: ControlPlaneContext,
  { directory, ifNoneMatch, query, signal }: Omit<ScimRequest, 'body'>,
  id: string,
  status: number,
): Promise<ScimResponse> {
  const user = await scimUserListStore.find(directory, id, signal);
  if (user === undefined) throw noResource(`there is no user ${id}`);
  const resource = userResource(user);
  const headers = { etag: etagOf(user), location: resource.meta.location };
  if (isUnchanged(ifNoneMatch, user)) return { status: 304, headers };
  return { status, body: project(resource, projectionOf(query)), headers };
}
