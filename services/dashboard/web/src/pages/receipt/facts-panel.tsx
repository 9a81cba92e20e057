import type { ReceiptResponse } from '../../../../wire/receipts.ts';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { TagList } from '../../components/tag-list.tsx';
import { describeAffinity, describeCachedShare, describeResponse } from './describe-receipt.ts';
import { FactList, type RequestFact } from './fact-list.tsx';

/** Shows what the request was. */
export function FactsPanel({ receipt }: { receipt: ReceiptResponse }) {
  const { endedAtMs, model, capability, keyName, keyKind, teamId, priceVersion } = receipt;
  const { tags, endUser, session, affinity, budgets } = receipt;
  const cached = describeCachedShare(receipt);
  const facts: RequestFact[] = [
    ['Ended', <Moment key="ended" form="full" ms={endedAtMs} />],
    ['Response', describeResponse(receipt) ?? 'not known'],
    ['Model', <Identifier key="model" id={model} />],
    ['Capability', capability],
    ['Key', keyKind === 'playground' ? 'Playground' : keyName],
    ['Billed to', teamId === null ? 'your account' : `a seat in the team ${teamId}`],
    [
      'Price',
      priceVersion === null ? 'free of charge' : `version ${priceVersion}, in force when the request started`,
    ],
    ['Tags', Object.keys(tags).length > 0 && <TagList tags={tags} />],
    ['End user', endUser],
    ['Session', session],
    ['Routed by', affinity !== null && describeAffinity(affinity)],
    ['Cached input', cached],
    ['Budgets', budgets.length > 0 && budgets.map((id) => <Identifier key={id} id={id} />)],
  ];
  return <FactList facts={facts} />;
}
