import type { CatalogServiceHandlers, PriceListTermsMessage } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { listPage, parseListQuery } from '../lists/list-page.ts';
import { parseTerms } from '../price-lists/check-terms.ts';
import {
  addPriceListVersion,
  changePriceList,
  createPriceList,
  deletePriceList,
} from '../price-lists/manage-price-lists.ts';
import { fullPriceList, listedPriceList } from '../price-lists/price-list-resource.ts';
import type { NewPriceListVersion } from '../price-lists/price-list-store.ts';
import type { StoredPriceList } from '../price-lists/stored-price-list.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { change, read } from './unary.ts';

type Methods = MethodsOf<CatalogServiceHandlers>;

/** Methods of the catalog service for price lists. */
export function priceListMethods(
  context: ControlPlaneContext,
): Pick<Methods, Extract<keyof Methods, `${string}PriceList${string}`>> {
  return {
    CreatePriceList: change(context, 'CreatePriceList', 'operator', async (actor, { version, ...list }) =>
      listMessage(await createPriceList(context, actor, { ...list, ...versionOf(version) })),
    ),
    ListPriceLists: read(context, 'ListPriceLists', async (_, request) => {
      const query = parseListQuery(request);
      const { next, rows } = listPage(await context.priceListStore.list(query), query);
      return { listsJson: rows.map((list) => JSON.stringify(listedPriceList(list))), ...next };
    }),
    GetPriceList: read(context, 'GetPriceList', async (_, { id }) =>
      listMessage(await context.priceListStore.require(id)),
    ),
    ChangePriceList: change(context, 'ChangePriceList', 'operator', async (actor, request) =>
      listMessage(await changePriceList(context, actor, request)),
    ),
    AddPriceListVersion: change(context, 'AddPriceListVersion', 'operator', async (actor, { id, version }) =>
      listMessage(await addPriceListVersion(context, actor, { id, ...versionOf(version) })),
    ),
    DeletePriceList: change(context, 'DeletePriceList', 'operator', async (actor, request) => {
      await deletePriceList(context, actor, request);
      return {};
    }),
  };
}

/** @throws ControlPlaneError invalid_argument */
function versionOf(message: PriceListTermsMessage | null): NewPriceListVersion {
  if (message === null) throw invalidArgument('version: is required');
  const { termsJson, validFromMs } = message;
  return {
    terms: parseTerms(termsJson),
    validFrom: validFromMs === undefined ? undefined : new Date(Number(validFromMs)),
  };
}

function listMessage(list: StoredPriceList) {
  return { listJson: JSON.stringify(fullPriceList(list)) };
}
