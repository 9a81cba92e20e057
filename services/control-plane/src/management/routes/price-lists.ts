import { priceListTerms } from '@model-gateway/shared';
import { z } from 'zod';
import {
  addPriceListVersion,
  changePriceList,
  createPriceList,
  deletePriceList,
} from '../../price-lists/manage-price-lists.ts';
import {
  fullPriceList,
  fullPriceListSchema,
  listedPriceList,
  listedPriceListSchema,
  priceListResource,
  priceListResourceSchema,
} from '../../price-lists/price-list-resource.ts';
import {
  deleted,
  deletedResponse,
  listParameters,
  listQueryOf,
  listResponse,
  pageOf,
} from '../list-response.ts';
import { route } from '../route.ts';
import { time } from '../times.ts';

const common = { tag: 'Price lists', isInstallationWide: true } as const;
const change = {
  ...common,
  scope: 'catalog:write',
  response: priceListResourceSchema.meta({ id: 'PriceList' }),
  isResource: true,
} as const;
const version = {
  ...priceListTerms.shape,
  valid_from: time
    .optional()
    .describe('ISO 8601 with a time zone, or Unix seconds. Not in the past. Default: now.'),
};
const name = z.string();
const isDefault = z.boolean().describe('True: for all accounts without a list of their own.');

export const priceListRoutes = [
  route({
    ...change,
    method: 'POST',
    path: '/admin/v1/price_lists',
    operationId: 'createPriceList',
    summary: 'Create a price list',
    description: 'With its first version. Accounts get it by `price_list_id`, or as the default.',
    body: z.object({ name, is_default: isDefault.default(false), ...version }),
    async handle(context, { actor, body }) {
      const { is_default, name, valid_from: validFrom, ...terms } = body;
      const list = { name, isDefault: is_default, terms, validFrom };
      return priceListResource(await createPriceList(context, actor, list));
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/price_lists',
    operationId: 'listPriceLists',
    summary: 'List price lists with their last versions',
    scope: 'catalog:read',
    query: z.object(listParameters),
    response: listResponse(listedPriceListSchema.meta({ id: 'ListedPriceList' }), 'PriceListList'),
    async handle({ priceListStore }, { query }) {
      const page = listQueryOf(query);
      return pageOf(await priceListStore.list(page), page, listedPriceList);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/price_lists/:id',
    operationId: 'getPriceList',
    summary: 'Get a price list with all its versions',
    scope: 'catalog:read',
    response: fullPriceListSchema.meta({ id: 'FullPriceList' }),
    async handle({ priceListStore }, { params, setEtagOf }) {
      const list = await priceListStore.require(params.id);
      setEtagOf(priceListResource(list));
      return fullPriceList(list);
    },
  }),
  route({
    ...change,
    method: 'PATCH',
    path: '/admin/v1/price_lists/:id',
    operationId: 'changePriceList',
    summary: 'Rename a price list, or make it the default',
    description: 'The list that was the default before is not any more.',
    body: z.object({ name: name.optional(), is_default: isDefault.optional() }),
    async handle(context, { actor, body, params }) {
      const changes = { id: params.id, name: body.name, isDefault: body.is_default };
      return priceListResource(await changePriceList(context, actor, changes));
    },
  }),
  route({
    ...change,
    method: 'POST',
    path: '/admin/v1/price_lists/:id/versions',
    operationId: 'addPriceListVersion',
    summary: 'Add a version to a price list',
    description: 'It replaces the version before from `valid_from` on. Running requests keep their prices.',
    body: z.object(version),
    async handle(context, { actor, body, params }) {
      const { valid_from: validFrom, ...terms } = body;
      const added = { id: params.id, terms, validFrom };
      return priceListResource(await addPriceListVersion(context, actor, added));
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/admin/v1/price_lists/:id',
    operationId: 'deletePriceList',
    summary: 'Delete a price list',
    description: 'Refused while accounts have it, or while it is the default. Receipts keep their prices.',
    scope: 'catalog:write',
    response: deletedResponse('price_list'),
    async handle(context, { actor, params }) {
      await deletePriceList(context, actor, params);
      return deleted('price_list', params.id);
    },
  }),
];
