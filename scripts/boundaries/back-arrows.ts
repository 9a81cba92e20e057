import type { BackArrow } from './circles.ts';

const CONTROL_PLANE = 'services/control-plane/src';

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
];
