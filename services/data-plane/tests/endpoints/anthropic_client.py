"""Uses the gateway with Anthropic's own client: python anthropic_client.py PART MODEL; prints JSON."""

import json
import sys
import time

import anthropic

part, model = sys.argv[1:]
client = anthropic.Anthropic(max_retries=0)
question = {"role": "user", "content": "Why is the sky blue?"}
request = {"model": model, "max_tokens": 300, "messages": [question]}
weather = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def final_message(**more):
    with client.messages.stream(**{**request, **more}) as stream:
        return stream.get_final_message()


def plain():
    message = client.messages.create(**request)
    streamed = final_message()
    return {
        "model": message.model,
        "stop_reason": message.stop_reason,
        "text": text_of(message),
        "is_same_streamed": text_of(streamed) == text_of(message)
        and streamed.usage.output_tokens == message.usage.output_tokens,
        "input_tokens": streamed.usage.input_tokens,
        "request_id": message._request_id,
    }


def tools():
    marked = 'use get_weather: {"city":"Oslo"}\nalso use get_weather: {"city":"Rome"}'
    asked = {"role": "user", "content": marked}
    first = final_message(tools=[weather], messages=[asked])
    calls = [block for block in first.content if block.type == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "sunny"} for call in calls]
    messages = [asked, {"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
    second = final_message(tools=[weather], messages=messages)
    return {
        "stop_reason": first.stop_reason,
        "inputs": [call.input for call in calls],
        "next_stop_reason": second.stop_reason,
    }


def thinking():
    thoughtful = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 3000}
    first = final_message(**thoughtful)
    messages = [question, {"role": "assistant", "content": first.content}, question]
    second = final_message(**thoughtful, messages=messages)
    return {"types": [block.type for block in first.content], "next": second.stop_reason}


def count():
    return {"input_tokens": client.messages.count_tokens(model=model, messages=[question]).input_tokens}


def models():
    page = client.models.list(limit=2)
    ids, pages = [], 0
    for found in page.iter_pages():
        pages += 1
        ids += [entry.id for entry in found.data]
    return {"ids": ids, "pages": pages}


def raised_by(call):
    try:
        call()
    except anthropic.APIError as error:
        return type(error).__name__
    return None


def errors():
    stranger = anthropic.Anthropic(api_key="gw_live_nonsense", max_retries=0)
    return {
        "limited": raised_by(lambda: client.messages.create(**request)),
        "failed": raised_by(lambda: client.messages.create(**request)),
        "unauthorized": raised_by(lambda: stranger.messages.create(**request)),
        "unknown": raised_by(lambda: client.messages.create(**{**request, "model": "sim/nothing"})),
        "invalid": raised_by(lambda: client.messages.create(**{**request, "messages": []})),
    }


def broken():
    try:
        final_message()
    except Exception as error:
        return {"is_raised": True, "error": type(error).__name__}
    return {"is_raised": False}


def abort():
    with client.messages.stream(**request) as stream:
        for _ in stream.text_stream:
            break
        left_at = time.time()
    return {"left_at": left_at}


parts = (plain, tools, thinking, count, models, errors, broken, abort)
print(json.dumps({found.__name__: found for found in parts}[part]()))
