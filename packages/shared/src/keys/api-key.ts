import { checkedToken } from './checked-token.ts';

const apiKey = checkedToken('gw_live_');

/** Generates a raw key, which is shown once and stored nowhere. */
export const generateApiKey = apiKey.generate;
export const API_KEY_LENGTH = apiKey.length;
/** Returns true if the text has the form of a key and a right checksum. The key need not exist. */
export const isWellFormedApiKey = apiKey.isWellFormed;
