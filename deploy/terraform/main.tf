# Accounts, money and limits of a model gateway, with Terraform or OpenTofu (README.md).
terraform {
  required_version = ">= 1.6"
  required_providers {
    restapi = {
      source  = "Mastercard/restapi"
      version = "3.0.0"
    }
  }
}

variable "admin_url" {
  description = "URL of the management API, such as https://gateway.example.com:8091."
  type        = string
}

variable "admin_key" {
  description = "Admin key with accounts:write, pools:write and rules:write. Set TF_VAR_admin_key."
  type        = string
  sensitive   = true
}

provider "restapi" {
  uri                  = "${var.admin_url}/admin/v1"
  bearer_token         = var.admin_key
  update_method        = "PATCH"
  write_returns_object = true
  headers = {
    "Content-Type" = "application/json"
    # Terraform compares with its state before it changes anything, and then overwrites.
    "If-Match" = "*"
  }
}

resource "restapi_object" "account" {
  path = "/accounts"
  data = jsonencode({
    email       = "team@example.com"
    name        = "Team"
    external_id = "terraform-team"
    timezone    = "Europe/Berlin"
  })
  # The address of an account cannot be changed.
  update_data = jsonencode({
    name     = "Team"
    timezone = "Europe/Berlin"
  })
  force_new               = ["email"]
  ignore_server_additions = true
}

resource "restapi_object" "pool" {
  path = "/pools"
  data = jsonencode({
    account_id = restapi_object.account.id
    name       = "Monthly"
    usd        = "50.000000000"
    resets     = "monthly"
  })
  update_data             = jsonencode({ usd = "50.000000000" })
  force_new               = ["account_id", "resets"]
  ignore_server_additions = true
}

resource "restapi_object" "rules" {
  path          = "/rules/account"
  object_id     = restapi_object.account.id
  create_path   = "/rules/account/{id}"
  create_method = "PUT"
  update_method = "PUT"
  data = jsonencode({
    models              = ["acme/*"]
    requests_per_minute = 100
  })
  # Rules cannot be deleted. Empty ones restrict nothing.
  destroy_method          = "PUT"
  destroy_data            = jsonencode({})
  ignore_server_additions = true
}

output "account_id" {
  value = restapi_object.account.id
}
