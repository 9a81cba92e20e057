import { checkedToken } from './checked-token.ts';

/** Keys of the management API, which cannot call models. */
export const adminKeyToken = checkedToken('gw_admin_');
