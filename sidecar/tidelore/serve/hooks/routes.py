"""The routes for hosts and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import BaseRoute

from tidelore.host.config import GatewayConfig
from tidelore.serve.endpoints import Endpoint, bind
from tidelore.serve.gate import room
from tidelore.serve.hooks import shapes as s
from tidelore.serve.hooks.memory import Memory

RECALL = Endpoint(
    "POST",
    "/api/hook/recall",
    "hookRecall",
    "hosts",
    "For a host that calls the model itself: once for each new turn of the user, whose tool rounds use the same answer. Nothing counts as "
    "delivered before the receipt.",
    body=s.HookRecall,
    result=s.HookRecalled,
    errors=(404,),
)
DELIVER = Endpoint(
    "POST",
    "/v1/host/deliveries",
    "hostDelivered",
    "hosts",
    "A receipt of what was really in a request that succeeded wholly; failures are not reported. The same receipt with the same memories "
    "is one receipt, with others a conflict. The last five receipts of a window cool what the hook recalls.",
    body=s.Receipt,
    result=s.Receipted,
    errors=(409,),
)
DELIVERIES = Endpoint(
    "GET",
    "/v1/host/deliveries",
    "hostDeliveries",
    "hosts",
    "The receipts, newest first.",
    query=s.ReceiptsAsked,
    result=s.Receipts,
)
SCRIPT_RECALL = Endpoint(
    "POST",
    "/v1/memory/recall",
    "memoryRecall",
    "hosts",
    "What is remembered about something, for scripts.",
    body=s.MemoryRecall,
    result=s.MemoryRecalled,
    errors=(404,),
)
SCRIPT_WRITE = Endpoint(
    "POST",
    "/v1/memory/write",
    "memoryWrite",
    "hosts",
    "Remember something, from a script.",
    body=s.MemoryWrite,
    result=s.MemoryWritten,
    errors=(404,),
)
ENDPOINTS = (RECALL, DELIVER, DELIVERIES, SCRIPT_RECALL, SCRIPT_WRITE)


def routes(config: GatewayConfig) -> Sequence[BaseRoute]:
    def memory(request: Request) -> Memory:
        return Memory(room(request.scope), config, routes)

    async def recall(request: Request, asked: Any) -> s.HookRecalled:
        return await memory(request).hook(asked)

    async def deliver(request: Request, asked: Any) -> s.Receipted:
        return await memory(request).receipt(asked)

    async def deliveries(request: Request, asked: Any) -> s.Receipts:
        return await memory(request).receipts(asked)

    async def script_recall(request: Request, asked: Any) -> s.MemoryRecalled:
        return await memory(request).recall(asked)

    async def script_write(request: Request, asked: Any) -> s.MemoryWritten:
        return await memory(request).write(asked)

    return [
        bind(RECALL, recall),
        bind(DELIVER, deliver),
        bind(DELIVERIES, deliveries),
        bind(SCRIPT_RECALL, script_recall),
        bind(SCRIPT_WRITE, script_write),
    ]
