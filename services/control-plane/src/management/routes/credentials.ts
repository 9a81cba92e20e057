import { z } from 'zod';
import { credentialResourceSchema } from '../../credentials/credential-resource.ts';
import { readCredentials } from '../../credentials/read-credentials.ts';
import { removeCredential } from '../../credentials/remove-credential.ts';
import { setCredential } from '../../credentials/set-credential.ts';
import { deleted, deletedResponse, listResponse, pageWith } from '../list-response.ts';
import { route } from '../route.ts';

const credential = credentialResourceSchema.meta({ id: 'Credential' });
const common = { tag: 'Credentials', isInstallationWide: true } as const;

export const credentialRoutes = [
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/credentials',
    operationId: 'listCredentials',
    summary: 'List credentials of providers',
    description:
      'Stored credentials and the variables that the catalog names, by name. No response has a value.',
    scope: 'catalog:read',
    response: listResponse(credential, 'CredentialList'),
    handle: async (context) => pageWith(await readCredentials(context), undefined),
  }),
  route({
    ...common,
    method: 'PUT',
    path: '/admin/v1/credentials/:name',
    operationId: 'setCredential',
    summary: 'Store a credential',
    description:
      'Data planes use it within seconds, before a variable of the same name. It is stored encrypted, and no ' +
      'response has it again.',
    scope: 'catalog:write',
    body: z.object({ value: z.string().describe('API key or other secret of the provider.') }),
    response: credential,
    async handle(context, { actor, body, params }) {
      await setCredential(context, actor, { name: params.name, value: body.value });
      const stored = (await readCredentials(context)).find(({ name }) => name === params.name);
      if (stored === undefined) throw new Error('the credential was removed meanwhile');
      return stored;
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/admin/v1/credentials/:name',
    operationId: 'removeCredential',
    summary: 'Remove a stored credential',
    description: 'A variable of the same name in a data plane counts again.',
    scope: 'catalog:write',
    response: deletedResponse('credential'),
    async handle(context, { actor, params }) {
      await removeCredential(context, actor, params.name);
      return deleted('credential', params.name);
    },
  }),
];
