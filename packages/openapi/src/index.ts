export { checkResponse, type ObservedResponse } from './check-response.ts';
export { openApiDocument } from './openapi-document.ts';
export { responseName, successNames } from './response-names.ts';
