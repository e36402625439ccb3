"""The local web app and its HTTP API: ``citemark serve``.

Nothing here is imported by ``import citemark``; Starlette and uvicorn come with the extra
``web``.
"""
