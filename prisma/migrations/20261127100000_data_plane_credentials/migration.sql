-- CreateTable
CREATE TABLE "data_plane_credentials" (
    "instance_id" TEXT NOT NULL,
    "variable" TEXT NOT NULL,
    "is_set" BOOLEAN,

    CONSTRAINT "data_plane_credentials_pkey" PRIMARY KEY ("instance_id","variable")
);
