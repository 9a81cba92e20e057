import { z } from 'zod';
import { notFound } from '../../errors/control-plane-error.ts';
import {
  modelDetails,
  modelDetailsSchema,
  modelResource,
  modelResourceSchema,
} from '../../providers/model-resource.ts';
import {
  providerDetails,
  providerDetailsSchema,
  providerResource,
  providerResourceSchema,
} from '../../providers/provider-resource.ts';
import { readCatalogHealth, readProviders } from '../../providers/read-providers.ts';
import { invalidField } from '../errors/request-errors.ts';
import { listParameters, listResponse, pageWith } from '../list-response.ts';
import { route } from '../route.ts';

/** More prices than an operator compares. */
const MAX_PRICE_VERSIONS = 100;

const common = { method: 'GET', scope: 'catalog:read', isInstallationWide: true } as const;

export const providerRoutes = [
  route({
    ...common,
    path: '/admin/v1/providers',
    operationId: 'listProviders',
    tag: 'Providers',
    summary: 'List providers with their health',
    description: 'All providers of the catalog in force, by id, with open circuit breakers and credentials.',
    response: listResponse(providerResourceSchema.meta({ id: 'Provider' }), 'ProviderList'),
    async handle(context) {
      const state = await readProviders(context);
      return pageWith(
        state.catalog.providers.map((provider) => providerResource(provider, state)),
        undefined,
      );
    },
  }),
  route({
    ...common,
    path: '/admin/v1/providers/:id',
    operationId: 'getProvider',
    tag: 'Providers',
    summary: 'Get a provider with its models and traffic',
    response: providerDetailsSchema.meta({ id: 'ProviderDetails' }),
    async handle(context, { params }) {
      const state = await readProviders(context);
      const provider = state.catalog.providers.find(({ id }) => id === params.id);
      if (provider === undefined) throw notFound(`there is no provider ${params.id} in the catalog`);
      return providerDetails(provider, state);
    },
  }),
  route({
    ...common,
    path: '/admin/v1/models',
    operationId: 'listModels',
    tag: 'Models',
    summary: 'List models with their prices and health',
    description: 'Models and virtual models of the catalog in force, by id.',
    query: z.object({
      ...listParameters,
      provider: z.string().optional().describe('Lists models with an upstream at this provider.'),
      search: z.string().optional().describe('Lists models whose id or name has this text.'),
    }),
    response: listResponse(modelResourceSchema.meta({ id: 'Model' }), 'ModelList'),
    async handle(context, { query: { cursor, limit, provider, search = '' } }) {
      const state = await readCatalogHealth(context);
      const after = cursor === undefined ? '' : idOfCursor(cursor);
      const text = search.toLowerCase();
      const rest = [...state.catalog.models, ...state.catalog.virtualModels]
        .map((model) => modelResource(model, state))
        .filter(({ id, name }) => [id, name].some((each) => each.toLowerCase().includes(text)))
        .filter(({ id, providers }) => id > after && (provider === undefined || providers.includes(provider)))
        .sort((one, other) => (one.id < other.id ? -1 : 1));
      const listed = rest.slice(0, limit);
      const last = listed.at(-1);
      return pageWith(listed, rest.length > limit && last !== undefined ? cursorOf(last.id) : undefined);
    },
  }),
  route({
    ...common,
    path: '/admin/v1/models/:id',
    operationId: 'getModel',
    tag: 'Models',
    summary: 'Get a model with its upstreams and the history of its prices',
    description: 'Send the slash of the id as `%2F`.',
    response: modelDetailsSchema.meta({ id: 'ModelDetails' }),
    async handle(context, { params }) {
      const [state, versions] = await Promise.all([
        readCatalogHealth(context),
        context.catalogVersionStore.listPrices(params.id, MAX_PRICE_VERSIONS),
      ]);
      const models = [...state.catalog.models, ...state.catalog.virtualModels];
      const model = models.find(({ id }) => id === params.id);
      if (model === undefined) throw notFound(`there is no model ${params.id} in the catalog`);
      return modelDetails(model, state, versions);
    },
  }),
];

function cursorOf(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/** @throws ManagementError 400 */
function idOfCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (cursorOf(id) !== cursor) throw invalidField('cursor', 'must be the `next_cursor` of an earlier page');
  return id;
}
