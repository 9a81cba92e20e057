import type { BackArrow } from './circles.ts';

const CONTROL_PLANE = 'services/control-plane/src';
const DATA_PLANE = 'services/data-plane/src';

/** Folders of a service import each other in one direction, with these exceptions. */
export const BACK_ARROWS: readonly BackArrow[] = [
  {
    from: `${CONTROL_PLANE}/pools`,
    to: `${CONTROL_PLANE}/accounts`,
    because:
      'a pool has an owner, looked for by id or e-mail address; an account that ends takes its pools along',
  },
  {
    from: `${CONTROL_PLANE}/pools`,
    to: `${CONTROL_PLANE}/teams`,
    because: 'the owner may be a team or a seat, whose pools end with it and whose money its owner may move',
  },
  ...['billing', 'http', 'keys'].map((folder) => ({
    from: `${DATA_PLANE}/request-record.ts`,
    to: `${DATA_PLANE}/${folder}`,
    because:
      'the record of a request names types of those who find its fields out, and all of them know the record',
  })),
];
