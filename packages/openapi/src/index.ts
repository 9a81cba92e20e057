export { answerName, successNames } from './answer-names.ts';
export { type Answer, checkAnswer } from './check-answer.ts';
export { openApiDocument } from './openapi-document.ts';
