"""``GET /api/openapi.json``: the description of all endpoints, made when a client first asks for it."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi

from tercet.server.errors import ERROR_RESPONSES, Json
from tercet.server.services import services_of

router = APIRouter()


@router.get("/api/openapi.json", include_in_schema=False)
async def description(request: Request) -> Json:
    """Return the description of all endpoints."""
    app = request.app
    if app.openapi_schema is None:
        app.openapi_schema = await services_of(request).compute(lambda: describe(app), request)
    return Json(app.openapi_schema)


def describe(app: FastAPI) -> dict[str, Any]:
    """Return FastAPI's description, with the answers as :mod:`tercet.server.schema` has them."""
    from tercet.server.schema import schema

    whole = json.loads(json.dumps(schema()).replace("#/$defs/", "#/components/schemas/"))
    refusal = {"application/json": {"schema": whole["refusal"]}}
    made = get_openapi(title=app.title, version=app.version, routes=app.routes)
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            responses, answer = operation["responses"], whole["answers"].get(f"{method.upper()} {path}")
            responses.pop("422", None)  # a request that makes no sense is answered with 400
            for response in responses.values():
                if answer is not None:
                    response["content"] = {"application/json": {"schema": answer}}
                else:  # not the string that FastAPI takes it for
                    response.get("content", {}).get("application/json", {}).get("schema", {}).pop("type", None)
            for status, words in ERROR_RESPONSES.items():
                responses[str(status)] = {"description": words, "content": refusal}
    components = made["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        components.pop(unused, None)
    components |= whole["$defs"]
    return made
