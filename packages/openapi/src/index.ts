export { checkResponse, type ObservedResponse } from './check-response.ts';
export { matchOperation } from './match-operation.ts';
export { openApiDocument } from './openapi-document.ts';
export { responseName, successNames } from './response-names.ts';
export { SchemaChecks } from './schema-checks.ts';
