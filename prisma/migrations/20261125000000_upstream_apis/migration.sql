-- The APIs of a model at one of its providers, and the one that chats in other APIs are translated to.
ALTER TABLE "model_upstreams" ADD COLUMN "apis" TEXT[] DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "model_upstreams" ADD COLUMN "prefer" TEXT;
