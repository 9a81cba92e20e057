-- Two more capabilities: completions of plain text, and moderation.
ALTER TABLE "models" DROP CONSTRAINT "models_capability";
ALTER TABLE "models" ADD CONSTRAINT "models_capability" CHECK (
  "capability" IN (
    'chat', 'completions', 'embeddings', 'rerank', 'images', 'speech', 'transcription', 'moderation'
  )
);
