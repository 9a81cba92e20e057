export { apiReference, type Handler } from './api-reference.ts';
export { pageHeaders } from './page-headers.ts';
export { PreparedAnswer } from './prepared-answer.ts';
export { sendAnswer } from './send-answer.ts';
export { staticAnswer } from './static-answer.ts';
